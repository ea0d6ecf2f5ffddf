/**
 * A bug planted by exact text: what the product would be if somebody had written it wrong. A text that no longer
 * stands exactly once in its file is an error: a mutant that does not apply proves nothing.
 */
export interface Mutant {
  /** What this variant does wrong. */
  readonly name: string;
  readonly patches: readonly Patch[];
  /** The smallest set of test files that should catch it. */
  readonly tests: readonly string[];
  /** Only tests whose full name fits this expression are run, where one of a slow file is enough. */
  readonly only?: string;
  /** Changed tables: the test run must be given others than the product's. */
  readonly project?: "rooms" | "postgres" | "cluster";
}

export interface Patch {
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** One text of one file exchanged for another, the commonest case. */
export function swap(file: string, find: string, replace: string): readonly Patch[] {
  return [{ file, find, replace }];
}
