/** A numbered invariant of docs/purchase.md; invariants.test.ts keeps the two in step. */
type InvariantName = `I${number}`;

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
