// Stands in for behaviortree_ros2, which needs rclcpp: the same face, over rcl. For tests only.
#pragma once

#include <behaviortree_cpp/action_node.h>
#include <behaviortree_cpp/bt_factory.h>
#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <rcl/rcl.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <string>
#include <thread>

#define RCLCPP_INFO(logger, ...) (std::printf("[%s] ", logger), std::printf(__VA_ARGS__), std::puts(""))

namespace BT {

struct RosNodeParams {
  rcl_node_t* nh = nullptr;
  std::string default_port_value;
  std::chrono::milliseconds server_timeout{60000};
};

template <class ServiceT>
class RosServiceNode : public SyncActionNode {
 public:
  using Request = typename ServiceT::Request;
  using Response = typename ServiceT::Response;

  RosServiceNode(const std::string& name, const NodeConfig& config, const RosNodeParams& params)
      : SyncActionNode(name, config), params_(params) {
    const auto* kind = rosidl_typesupport_cpp::get_service_type_support_handle<ServiceT>();
    const auto options = rcl_client_get_default_options();
    const auto& service = params.default_port_value;
    if (rcl_client_init(&client_, params.nh, kind, service.c_str(), &options) != RCL_RET_OK) {
      throw RuntimeError("no client: ", rcl_get_error_string().str);
    }
  }
  ~RosServiceNode() override { (void)rcl_client_fini(&client_, params_.nh); }

  static PortsList providedBasicPorts(PortsList addition) {
    PortsList basic = {InputPort<std::string>("service_name", "", "name of the service")};
    basic.insert(addition.begin(), addition.end());
    return basic;
  }

  virtual bool setRequest(typename Request::SharedPtr& request) = 0;
  virtual NodeStatus onResponseReceived(const typename Response::SharedPtr& response) = 0;

  NodeStatus tick() override {
    auto request = std::make_shared<Request>();
    if (!setRequest(request)) {
      return NodeStatus::FAILURE;
    }
    bool there = false;
    until([&] {
      (void)rcl_service_server_is_available(params_.nh, &client_, &there);
      return there;
    });
    int64_t sequence = 0;
    if (!there || rcl_send_request(&client_, request.get(), &sequence) != RCL_RET_OK) {
      return NodeStatus::FAILURE;
    }
    auto response = std::make_shared<Response>();
    rmw_request_id_t header;
    const bool came = until(
        [&] { return rcl_take_response(&client_, &header, response.get()) == RCL_RET_OK; });
    return came ? onResponseReceived(response) : NodeStatus::FAILURE;
  }

 protected:
  const char* logger() const { return "robodata_nodes"; }

 private:
  template <class Condition>
  bool until(Condition holds) {
    const auto end = std::chrono::steady_clock::now() + params_.server_timeout;
    while (std::chrono::steady_clock::now() < end) {
      if (holds()) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  RosNodeParams params_;
  rcl_client_t client_ = rcl_get_zero_initialized_client();
};

}  // namespace BT
