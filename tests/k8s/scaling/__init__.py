"""Autoscaling of the servers: the formula, a simulated autoscaler, a real fleet."""
