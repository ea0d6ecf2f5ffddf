/**
 * A bug planted by replacing exact source text. A text that does not occur
 * exactly once in its file is an error: a mutant that does not apply proves nothing.
 */
export interface Mutant {
  /** What this variant does wrong. */
  readonly name: string;
  readonly patches: readonly Patch[];
  /** The smallest set of test files that should catch it. */
  readonly tests: readonly string[];
  /** Only tests whose full name matches this expression are run, where one of a slow file is enough. */
  readonly only?: string;
  /** Whose tests they are: "rooms" unless they need a PostgreSQL or several nodes. */
  readonly project?: "rooms" | "postgres" | "cluster";
}

interface Patch {
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A text that is absent or stands more than once marks no place. */
export function standsOnce(text: string, find: string): boolean {
  return text.split(find).length === 2;
}

type Run = Partial<Pick<Mutant, "tests" | "only" | "project">>;
type Bug = readonly [name: string, find: string, replace: string, run?: Run];

/** The bugs are caught by the test file beside their own. */
export const BESIDE: Run = {};

/** Bugs of one file, each one text exchanged for another. */
export function bugsIn(file: string, run: Run, bugs: readonly Bug[]): readonly Mutant[] {
  const tests = [file.replace(/\.tsx?$/, ".test.ts")];
  return bugs.map(([name, find, replace, own]) => ({
    name,
    patches: [{ file, find, replace }],
    tests,
    ...run,
    ...own,
  }));
}
