// Runs the tree of robodata_nodes.xml with the leaves of robodata_nodes.cpp: tidy FILE, NAMESPACE.
// A function and no program, because the wheels' libraries want a Python around them.
#include "../../../examples/behavior_tree/robodata_nodes.cpp"

extern "C" int tidy(const char* trees, const char* name_space) {
  auto options = rcl_get_zero_initialized_init_options();
  auto context = rcl_get_zero_initialized_context();
  auto node = rcl_get_zero_initialized_node();
  const auto node_options = rcl_node_get_default_options();
  if (rcl_init_options_init(&options, rcl_get_default_allocator()) != RCL_RET_OK ||
      rcl_init(0, nullptr, &options, &context) != RCL_RET_OK ||
      rcl_node_init(&node, "tidy", name_space, &context, &node_options) != RCL_RET_OK) {
    std::fprintf(stderr, "%s\n", rcl_get_error_string().str);
    return 2;
  }
  auto status = BT::NodeStatus::IDLE;
  {
    BT::BehaviorTreeFactory factory;
    BT::RosNodeParams params;
    params.nh = &node;
    registerRosNodes(factory, params);
    factory.registerBehaviorTreeFromFile(trees);
    auto tree = factory.createTree("Tidy");
    status = tree.tickWhileRunning();
    const auto& board = tree.rootBlackboard();
    for (const char* key : {"cup", "place", "reason"}) {
      std::string value;
      std::printf("%s=%s\n", key, board->get(key, value) ? value.c_str() : "");
    }
  }
  (void)rcl_node_fini(&node);
  (void)rcl_shutdown(&context);
  (void)rcl_context_fini(&context);
  std::puts(BT::toStr(status).c_str());
  std::fflush(stdout);
  return status == BT::NodeStatus::SUCCESS ? 0 : 1;
}
