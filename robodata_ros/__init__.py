"""RoboData on a robot: a ROS 2 lifecycle node, a client for planners, and conversions.

Everything here is thin: it turns messages into calls of ``robodata_core`` and answers into
messages. ``convert`` and ``convert_events`` know both vocabularies, ``qos`` the quality of
service, ``parameters`` the parameter table, ``node`` the node, ``enrichment`` what is known about
objects, ``client`` the calls for other nodes, ``watch`` a robot's runs as the core's events.
``rclpy`` and ``robodata_msgs`` are needed by all of them but ``enrichment`` and ``verification``;
nothing is imported here, so that ``import robodata_ros`` works without them.
"""
