// Stands in for behaviortree_ros2's plugins; see bt_service_node.hpp.
#pragma once

#include <behaviortree_ros2/bt_service_node.hpp>

#define BT_REGISTER_ROS_NODES(factory, params) \
  void registerRosNodes(BT::BehaviorTreeFactory& factory, const BT::RosNodeParams& params)
