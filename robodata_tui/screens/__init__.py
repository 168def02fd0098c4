"""Dialogs and screens over the main one."""
