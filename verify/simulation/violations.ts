/** The numbered invariants of docs/purchase.md that a simulated run can break. */
type InvariantName =
  | "I1"
  | "I2"
  | "I3"
  | "I4"
  | "I5"
  | "I6"
  | "I7"
  | "I8"
  | "I9"
  | "I10"
  | "I11"
  | "I12"
  | "I13"
  | "I14"
  | "I15"
  | "I16"
  | "I17"
  | "I18"
  | "I19"
  | "I20"
  | "I21"
  | "I22"
  | "I23"
  | "I24"
  | "I25";

export interface Violation {
  readonly invariant: InvariantName;
  readonly text: string;
}

export interface Violations {
  report(invariant: InvariantName, text: string): void;
  readonly found: readonly Violation[];
}

const MOST_KEPT = 50;

export function createViolations(onFound: (violation: Violation) => void): Violations {
  const found: Violation[] = [];
  return {
    found,
    report(invariant, text) {
      const violation = { invariant, text };
      onFound(violation);
      if (found.length < MOST_KEPT) found.push(violation);
    },
  };
}
