"""What `opsetdocs check` prints: the findings as text, JSON, GitHub annotations or SARIF."""

from opsetdocs.check_report.data import check_data
from opsetdocs.check_report.github import github_lines
from opsetdocs.check_report.report import Report
from opsetdocs.check_report.repository import in_repository
from opsetdocs.check_report.sarif import sarif_data
from opsetdocs.check_report.text import text_lines

__all__ = ["Report", "check_data", "github_lines", "in_repository", "sarif_data", "text_lines"]
