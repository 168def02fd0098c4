"""The orchestrator: runs the state machine, asks the policy, calls the tools, keeps count."""
