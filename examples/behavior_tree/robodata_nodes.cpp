// Leaves for BehaviorTree.CPP 4 with behaviortree_ros2; the ports are those of robodata_nodes.xml.
// An example to copy from. A test compiles it against BehaviorTree.CPP, with a stand-in for
// behaviortree_ros2, which is not among the wheels that it is tested with.
//
//   find_package(behaviortree_ros2 REQUIRED)
//   find_package(robodata_msgs REQUIRED)
//   add_library(robodata_nodes SHARED robodata_nodes.cpp)
//   ament_target_dependencies(robodata_nodes behaviortree_ros2 robodata_msgs)

#include <behaviortree_ros2/bt_service_node.hpp>
#include <behaviortree_ros2/plugins.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <robodata_msgs/srv/find_objects.hpp>
#include <robodata_msgs/srv/where_should_it_go.hpp>

using robodata_msgs::srv::FindObjects;
using robodata_msgs::srv::WhereShouldItGo;

class FindObject : public BT::RosServiceNode<FindObjects> {
 public:
  FindObject(const std::string& name, const BT::NodeConfig& config, const BT::RosNodeParams& params)
      : RosServiceNode<FindObjects>(name, config, params) {}

  static BT::PortsList providedPorts() {
    return providedBasicPorts({
        BT::InputPort<std::string>("class_id", "", "class or kind"),
        BT::InputPort<std::string>("affordance", "", "what it can be used for"),
        BT::InputPort<std::string>("region", "", "where it is"),
        BT::InputPort<std::string>("near", "", "what it is near to"),
        BT::OutputPort<std::string>("object_id"),
        BT::OutputPort<geometry_msgs::msg::PoseStamped>("pose"),
    });
  }

  bool setRequest(Request::SharedPtr& request) override {
    getInput("class_id", request->class_id);
    getInput("affordance", request->affordance);
    getInput("region", request->region);
    getInput("near", request->near);
    request->limit = 1;
    return true;
  }

  BT::NodeStatus onResponseReceived(const Response::SharedPtr& response) override {
    if (!response->success || response->objects.empty()) {
      RCLCPP_INFO(logger(), "nothing found: %s", response->error_msg.c_str());
      return BT::NodeStatus::FAILURE;
    }
    const auto& object = response->objects.front();
    geometry_msgs::msg::PoseStamped pose;
    pose.header.frame_id = object.frame_id;
    pose.header.stamp = object.last_seen;
    pose.pose = object.pose;
    setOutput("object_id", object.id);
    setOutput("pose", pose);
    return BT::NodeStatus::SUCCESS;
  }
};

class WhereToPut : public BT::RosServiceNode<WhereShouldItGo> {
 public:
  WhereToPut(const std::string& name, const BT::NodeConfig& config, const BT::RosNodeParams& params)
      : RosServiceNode<WhereShouldItGo>(name, config, params) {}

  static BT::PortsList providedPorts() {
    return providedBasicPorts({
        BT::InputPort<std::string>("object_id"),
        BT::OutputPort<std::string>("region"),
        BT::OutputPort<std::string>("reason"),
    });
  }

  bool setRequest(Request::SharedPtr& request) override {
    return static_cast<bool>(getInput("object_id", request->object));
  }

  BT::NodeStatus onResponseReceived(const Response::SharedPtr& response) override {
    for (const auto& place : response->placements) {
      if (!place.region.empty()) {
        setOutput("region", place.region);
        setOutput("reason", place.reason);
        return BT::NodeStatus::SUCCESS;
      }
    }
    return BT::NodeStatus::FAILURE;
  }
};

BT_REGISTER_ROS_NODES(factory, params) {
  auto with_service = [&params](const std::string& name) {
    auto own = params;
    own.default_port_value = name;
    return own;
  };
  factory.registerNodeType<FindObject>("FindObject", with_service("robodata/find_objects"));
  factory.registerNodeType<WhereToPut>("WhereShouldItGo", with_service("robodata/where_should_it_go"));
}
