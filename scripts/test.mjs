// `npm test`: set-up, then every test that one machine can run; the journeys last.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { findBrowser } from "./browser.mjs";
import { runChecks } from "./checks.mjs";
import { inMemory } from "./scratch.mjs";
import { giveUp, node, ownerOf, root, say, setUp, takeLock, tryRun, tryRunBeside } from "./setup.mjs";

/** Half a minute on two cores; every mutant is run within a month. */
const MUTANTS_A_DAY = "12";

const results = join(root, ".cache", "results");

const lock = join(root, ".cache", "test.lock");
if (!takeLock(lock))
  giveUp(`Process ${ownerOf(lock)} already runs the tests of this folder: try again later.`);
process.once("exit", () => rmSync(lock, { force: true }));

setUp();
const chromium = findBrowser();
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

Object.assign(process.env, inMemory());
// Every thread of an embedded store loads the same files.
process.env.NODE_COMPILE_CACHE ??= join(root, ".cache", "compiled");

const tally = { passed: 0, failed: 0, skipped: 0 };
/** The name and first words of each failure, repeated at the end, where they are easy to find. */
const failures = [];

const checks = await timed("checks", runChecks);
count({ passed: checks.passedCount, failed: checks.failed.length, skipped: 0 });
// The nodes of a cluster mostly wait for each other, so other tests can use the processor meanwhile.
const cluster = vitestOf("cluster");
const clusterRun = tryRunBeside("vitest", cluster.args);
await timed("tests", runOneProcess);
await timed("several nodes, after the tests", async () => reportCluster(await clusterRun));
await timed("planted bugs", runMutants);
await timed("journeys", runJourneys);

for (const name of [...checks.failed.map((check) => `check: ${check}`), ...failures]) say(`Failed: ${name}`);
// The closing line is also parsed by programs: these words, alone on their line.
process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`);
process.exit(tally.failed === 0 ? 0 : 1);

/** Prints how long a phase took. */
async function timed(phase, work) {
  const startedAtMs = Date.now();
  const result = await work();
  process.stdout.write(`\n${phase}: ${Math.round((Date.now() - startedAtMs) / 1_000)} s\n`);
  return result;
}

function count(part) {
  tally.passed += part.passed;
  tally.failed += part.failed;
  tally.skipped += part.skipped;
}

/** One run for three projects: while the longest file of one finishes, other workers start the next. */
async function runOneProcess() {
  process.stdout.write(
    "\n— unit, property, integration and security tests (embedded store); the store and the purchases on PostgreSQL\n",
  );
  const figures = join(results, "security-figures.txt");
  const { args, file } = vitestOf("security", "rooms", "postgres");
  const environment = { CHROMIUM_PATH: chromium.path, ...chromium.environment, SECURITY_FIGURES: figures };
  const { status } = await tryRunBeside("vitest", args, environment, "inherit");
  countVitest("security, rooms, postgres", file, status);
  if (existsSync(figures)) process.stdout.write(`\n${readFileSync(figures, "utf8")}`);
}

function reportCluster({ status, printed }) {
  process.stdout.write(`\n— several nodes on PostgreSQL and Redis\n${printed}`);
  countVitest("cluster", cluster.file, status);
}

function vitestOf(...projects) {
  const file = join(results, `${projects[0]}.json`);
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
  return { file, args: ["run", ...projects.flatMap((project) => ["--project", project]), ...reporters] };
}

function countVitest(part, file, status) {
  const report = readReport(file);
  if (report === null) return countUnread(part);
  const skipped = report.numPendingTests + report.numTodoTests;
  // A file that cannot be loaded fails the run without a failed test.
  const failed = Math.max(report.numFailedTests, status === 0 ? 0 : 1);
  const named = failedTests(report);
  failures.push(...(named.length < failed ? [...named, `${part}: an error outside of any test`] : named));
  count({ passed: report.numPassedTests, failed, skipped });
}

/** Plants a dozen bugs, other ones each day; `npm run mutants` plants all of them. */
function runMutants() {
  process.stdout.write("\n— planted bugs, each of which a test must catch\n");
  const file = join(results, "mutants.json");
  tryRun(node, [join("verify", "mutants", "run-mutants.ts"), "--slice", MUTANTS_A_DAY, "--summary", file]);
  const summary = readReport(file);
  if (summary === null) return countUnread("planted bugs");
  failures.push(...summary.missed.map((name) => `planted bug: ${name}`));
  count({ passed: summary.caught, failed: summary.missed.length, skipped: 0 });
}

function runJourneys() {
  process.stdout.write("\n— journeys in a real browser\n");
  const file = join(results, "journeys.json");
  const status = tryRun("playwright", ["test", "--reporter=line,json"], {
    CHROMIUM_PATH: chromium.path,
    ...chromium.environment,
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  const report = readReport(file);
  if (report === null) return countUnread("journeys");
  failures.push(...report.suites.flatMap(failedJourneys));
  const { expected, flaky, unexpected, skipped } = report.stats;
  count({ passed: expected + flaky, failed: Math.max(unexpected, status === 0 ? 0 : 1), skipped });
}

/** A part that ended without writing its report. */
function countUnread(part) {
  failures.push(`${part}: no report`);
  count({ passed: 0, failed: 1, skipped: 0 });
}

/** The failed tests of a Vitest report, and the files that failed outside of any test. */
function failedTests(report) {
  return report.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, assertionResults, message }) => {
      const tests = assertionResults.filter(({ status }) => status === "failed");
      const file = relative(root, name);
      if (tests.length === 0) return [`${file}${firstLines(message)}`];
      return tests.map(({ fullName, failureMessages: [why] }) => `${file}: ${fullName}${firstLines(why)}`);
    });
}

/** The failed journeys of a suite in Playwright's report, including nested suites. */
function failedJourneys(suite) {
  return [
    ...suite.specs
      .filter(({ ok }) => !ok)
      .map(({ file, title, tests }) => `${file}: ${title}${firstLines(errorOf(tests))}`),
    ...(suite.suites ?? []).flatMap(failedJourneys),
  ];
}

function errorOf(tests) {
  const failed = tests.flatMap(({ results: tries }) => tries).find(({ error }) => error !== undefined);
  return failed?.error.stack ?? failed?.error.message;
}

/** The first lines of the error message, and the first position in the project's own code, if any. */
function firstLines(message = "") {
  const lines = stripVTControlCharacters(message).split("\n");
  const isTrace = (line) => line.startsWith("    at ");
  const place = lines
    .filter(isTrace)
    .map((line) => line.split(`${root}/`)[1])
    .find((path) => path?.startsWith("node_modules") === false);
  const what = lines.filter((line) => !isTrace(line)).slice(0, 8);
  return [...what.map((line) => line.slice(0, 200)), place?.replace(/\)$/, "")]
    .filter(Boolean)
    .map((words) => `\n    ${words}`)
    .join("");
}

/** Null also for one that a process wrote only in part before it was killed. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
