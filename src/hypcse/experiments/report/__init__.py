"""Reports: Markdown and one HTML page, made of results alone."""

from hypcse.experiments.report.blocks import Block, Picture
from hypcse.experiments.report.content import build_report
from hypcse.experiments.report.html import to_html
from hypcse.experiments.report.markdown import to_markdown
from hypcse.experiments.report.write import write_report

__all__ = ["Block", "Picture", "build_report", "to_html", "to_markdown", "write_report"]
