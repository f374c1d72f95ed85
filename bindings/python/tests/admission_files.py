"""The vectors of test/vectors/admission/, in the order of files and cases. Their format: README.md of that folder."""

from dataclasses import dataclass

from built_engine import VECTORS
from plain_json import JsonObject, parse, render


@dataclass(frozen=True)
class AdmissionVector:
    """One case of one file."""

    file: str
    case: JsonObject

    @property
    def name(self) -> str:
        """Unique among all cases."""
        return f"{self.file}: {self.case['name']}"

    @property
    def review(self) -> str:
        """The AdmissionReview to answer."""
        return render({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": self.case["review"]})


def load_admission_vectors() -> list[AdmissionVector]:
    """Every case."""
    files = sorted((VECTORS / "admission").glob("*.json"))
    return [AdmissionVector(path.name, case) for path in files for case in parse(path.read_bytes())]
