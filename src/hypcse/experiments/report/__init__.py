"""Reports: Markdown and one HTML page, made of results alone."""

from hypcse.experiments.report.blocks import Block, Picture
from hypcse.experiments.report.content import build_report
from hypcse.experiments.report.render import to_html, to_markdown, write_report

__all__ = ["Block", "Picture", "build_report", "to_html", "to_markdown", "write_report"]
