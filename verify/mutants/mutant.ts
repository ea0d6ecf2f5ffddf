/**
 * A bug planted by replacing exact source text. A text that does not occur exactly once in its file is an
 * error: a mutant that does not apply proves nothing.
 */
export interface Mutant {
  /** The bug. */
  readonly name: string;
  readonly patches: readonly Patch[];
  /** The smallest set of test files that should catch it. */
  readonly tests: readonly string[];
  /** A pattern of full test names, where one test of a slow file suffices. */
  readonly only?: string;
  /** The project of the tests: "rooms" unless they need PostgreSQL, several nodes or the whole product. */
  readonly project?: "rooms" | "postgres" | "cluster" | "security";
}

interface Patch {
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export function standsOnce(text: string, find: string): boolean {
  return text.split(find).length === 2;
}

type Run = Partial<Pick<Mutant, "tests" | "only" | "project">>;
type Bug = readonly [name: string, find: string, replace: string, run?: Run];

/** Caught by the test file beside the source. */
export const BESIDE: Run = {};

/** Bugs in one file, each a replacement of text. One with `tests` of its own has nothing else of the run. */
export function bugsIn(file: string, run: Run, bugs: readonly Bug[]): readonly Mutant[] {
  const tests = [file.replace(/\.tsx?$/, ".test.ts")];
  return bugs.map(([name, find, replace, own]) => ({
    name,
    patches: [{ file, find, replace }],
    tests,
    ...(own?.tests === undefined && run),
    ...own,
  }));
}
