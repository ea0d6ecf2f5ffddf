import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Longer than 30 s each; started first, so that none runs alone at the end. */
const LONGEST = [
  "verify/simulation/simulation.test.ts",
  "src/server/kill.test.ts",
  "src/server/main.test.ts",
  "src/purchasing/reconcile/order-sweep.test.ts",
  "src/purchasing/attempt/payment-faults.test.ts",
  "src/purchasing/crashes.test.ts",
  "src/purchasing/account/stops.test.ts",
  "src/store/engines/embedded.test.ts",
  "src/server/full-disk.test.ts",
  "src/purchasing/soak.test.ts",
  "src/alerts/killed-alerts.test.ts",
  "src/store/store.test.ts",
  "src/feed/model/lossless.test.ts",
  "src/feed/model/backtest.test.ts",
  "src/purchasing/store-breaks.postgres.test.ts",
  "src/purchasing/node-kills.postgres.test.ts",
  "src/server/move.postgres.test.ts",
  "src/feed/model/backtest.postgres.test.ts",
  "verify/security/fuzz-calls.test.ts",
  "verify/security/browser-attacks.test.ts",
  "verify/security/restore.test.ts",
  "verify/security/leaks.test.ts",
  "verify/security/slow-clients.test.ts",
];

/** The project with the longest files comes first: meanwhile other workers run files of the next one. */
const PROJECTS = ["security", "rooms", "postgres", "cluster"];

/**
 * Without a cache of durations Vitest starts with the largest files, which are not the slowest. Projects run
 * one after the other, because a worker ends when its next file belongs to another project.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONGEST.some((name) => moduleId.endsWith(name));
    return PROJECTS.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

/**
 * Ends only a test that hangs: the speed of a busy machine is not under test, and each step of a test may take
 * twenty times as long there.
 */
const HANGS_AFTER_MS = 1_800_000;

export default defineConfig({
  test: {
    // One more than two cores: the tests also wait for timers, processes and the disk. A fourth worker gains nothing.
    maxWorkers: 3,
    setupFiles: ["verify/testing/property-reports.ts"],
    // Workers keep their modules: loading the product for each file would take as long as testing it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Generous, for the same reason: a fact that never comes true fails its test before the test is ended.
    expect: { poll: { timeout: 240_000 } },
    testTimeout: HANGS_AFTER_MS,
    // The first hook may also have to install PostgreSQL or Redis.
    hookTimeout: HANGS_AFTER_MS,
    // A forgotten `test.only` would silently leave out the others.
    allowOnly: false,
    projects: [
      {
        extends: true,
        test: {
          name: "rooms",
          include: ["src/**/*.test.ts", "verify/{simulation,testing}/**/*.test.ts"],
          exclude: ["src/**/*.postgres.test.ts", "src/**/*.cluster.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "security",
          include: ["verify/security/**/*.test.ts"],
          // Some tests send tens of thousands of requests, and many more with SECURITY_DEPTH=deep.
          ...(process.env["SECURITY_DEPTH"] === "deep" && { testTimeout: 7_200_000 }),
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["src/**/*.postgres.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          include: ["src/**/*.cluster.test.ts"],
          // Each file starts several processes, so files in parallel would only compete for the processor.
          fileParallelism: false,
        },
      },
    ],
  },
});
