/**
 * `npm run mutants`: plants each bug in a temporary copy of the sources and prints the test that catches it.
 * Fails when a bug survives or its text is missing. `--slice N`: N bugs, different ones each day.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { DAY_MS } from "#domain/clock.ts";
import { type Mutant, standsOnce } from "./mutant.ts";
import { planted } from "./planted.ts";

const root = join(import.meta.dirname, "..", "..");
const COPIED = [
  "src",
  "e2e",
  "verify",
  "package.json",
  "vitest.config.ts",
  "tsconfig.json",
  "tsconfig.node.json",
  "tsconfig.base.json",
  "tsconfig.web.json",
];
/** Shorter than the usual ones, which are for a busy machine: many planted bugs are caught by what never comes true. */
const SHORT_LIMITS = ["--testTimeout=120000", "--hookTimeout=240000"];
/**
 * Longer than the timeouts of a test and of its hooks, by which a test that waits in vain fails. A run that does not
 * end even so is blocked by the bug, for example in an endless loop.
 */
const TEST_RUN_TIMEOUT_MS = 300_000;
const WORKERS = 2;

const { values: options, positionals } = parseArgs({
  options: {
    slice: { type: "string" },
    summary: { type: "string" },
  },
  allowPositionals: true,
});

type Verdict =
  | { readonly kind: "caught"; readonly by: string }
  | { readonly kind: "survived" }
  | { readonly kind: "broken"; readonly reason: string };

const testReport = z.object({
  numTotalTests: z.number(),
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

const chosen = choose(planted);
const startedAtMs = Date.now();
const left = chosen.values();
const verdicts = new Map<Mutant, Verdict>();
await Promise.all(Array.from({ length: WORKERS }, () => work()));
await report();

/** Mutants whose name contains a given word; with a slice, those of today. */
function choose(mutants: readonly Mutant[]): readonly Mutant[] {
  const named = mutants.filter(
    ({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)),
  );
  if (options.slice === undefined) return named;
  const size = Math.min(Number(options.slice), named.length);
  const first = (Math.floor(Date.now() / DAY_MS) * size) % named.length;
  return Array.from({ length: size }, (_, i) => named[(first + i) % named.length]).filter(
    (mutant) => mutant !== undefined,
  );
}

async function work(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "synapse-mutants-"));
  try {
    for (const entry of COPIED) await cp(join(root, entry), join(folder, entry), { recursive: true });
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await mkdir(join(folder, "tmp"));
    // Root starts PostgreSQL as another user, who must be able to reach its files.
    await chmod(folder, 0o711);
    for (const mutant of left) {
      const verdict = await verdictOf(folder, mutant);
      verdicts.set(mutant, verdict);
      process.stdout.write(`${lineOf(mutant, verdict)}\n`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function verdictOf(folder: string, mutant: Mutant): Promise<Verdict> {
  const before = new Map<string, string>();
  try {
    for (const { file, find, replace } of mutant.patches) {
      const text = await readFile(join(folder, file), "utf8");
      if (!standsOnce(text, find))
        return { kind: "broken", reason: `its text does not stand once in ${file}` };
      if (!before.has(file)) before.set(file, text);
      await writeFile(
        join(folder, file),
        text.replace(find, () => replace),
      );
    }
    return await testsAgainst(folder, mutant);
  } finally {
    for (const [file, text] of before) await writeFile(join(folder, file), text);
  }
}

async function testsAgainst(folder: string, mutant: Mutant): Promise<Verdict> {
  const file = join(folder, "report.json");
  await rm(file, { force: true });
  const only = mutant.only === undefined ? [] : ["--testNamePattern", mutant.only];
  const run = ["run", "--project", mutant.project ?? "rooms", "--bail", "1"];
  const reporting = ["--reporter=json", `--outputFile=${file}`];
  const hasEnded = await runTests(folder, [...run, ...SHORT_LIMITS, ...reporting, ...only, ...mutant.tests]);
  if (!hasEnded) return { kind: "caught", by: "the tests, which no longer end" };
  if (!existsSync(file)) return { kind: "broken", reason: "its tests could not be run" };
  const { testResults, numPassedTests } = testReport.parse(JSON.parse(await readFile(file, "utf8")));
  const failed = testResults.flatMap((result) =>
    result.assertionResults.filter(({ status }) => status === "failed"),
  );
  if (failed[0] !== undefined) return { kind: "caught", by: failed[0].fullName };
  // A file that cannot be loaded does not count as caught: the patch is not valid code.
  const unloaded = testResults.find(({ message }) => message !== "");
  if (unloaded !== undefined) return { kind: "broken", reason: unloaded.message.split("\n")[0] ?? "" };
  return numPassedTests === 0 ? { kind: "broken", reason: "no test was run" } : { kind: "survived" };
}

/** False when they timed out. */
async function runTests(folder: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), ...args], {
    cwd: folder,
    // A changed schema creates another store template, which must be deleted with the copy.
    env: { ...process.env, TMPDIR: join(folder, "tmp"), VITEST_MAX_WORKERS: "1" },
    stdio: "ignore",
  });
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    resolve(false);
  }, TEST_RUN_TIMEOUT_MS);
  child.on("exit", () => resolve(true));
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

function lineOf(mutant: Mutant, verdict: Verdict): string {
  if (verdict.kind === "caught") return `caught    ${mutant.name}\n            by: ${verdict.by}`;
  if (verdict.kind === "survived")
    return `SURVIVED  ${mutant.name}\n            in: ${mutant.tests.join(", ")}`;
  return `BROKEN    ${mutant.name}\n            ${verdict.reason}`;
}

async function report(): Promise<void> {
  const missed = chosen.filter((mutant) => verdicts.get(mutant)?.kind !== "caught");
  const caught = chosen.length - missed.length;
  const seconds = Math.round((Date.now() - startedAtMs) / 1_000);
  process.stdout.write(`\n${caught} of ${chosen.length} planted bugs were caught in ${seconds} s\n`);
  if (options.summary !== undefined)
    await writeFile(options.summary, JSON.stringify({ caught, missed: missed.map(({ name }) => name) }));
  process.exitCode = caught === chosen.length && chosen.length > 0 ? 0 : 1;
}
