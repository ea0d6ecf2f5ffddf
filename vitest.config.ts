import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Longer than half a minute each: begun last, one of them would be all that still runs. */
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
  "verify/security/fuzz-calls.test.ts",
  "verify/security/browser-attacks.test.ts",
  "verify/security/restore.test.ts",
];

/** The project whose files are the longest comes first: beside its last ones, shorter ones of the next still run. */
const PROJECTS = ["security", "rooms", "postgres", "cluster"];

/**
 * On a fresh machine nothing is known of how long a file takes, and the largest one is not the longest. One project after
 * the other, because a worker ends where the next file is another project's.
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

export default defineConfig({
  test: {
    // One more than the two cores: half of what a test takes is waiting, for timers, processes and the disk.
    maxWorkers: 3,
    // A worker keeps what it has loaded: loading the product anew for each file takes as long as testing it.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // What is waited for comes sooner or later: how soon on a busy machine proves nothing.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "rooms",
          include: ["src/**/*.test.ts", "verify/{simulation,testing}/**/*.test.ts"],
          exclude: ["src/**/*.postgres.test.ts", "src/**/*.cluster.test.ts"],
          // Generous: how long a test takes on a busy machine proves nothing.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "security",
          include: ["verify/security/**/*.test.ts"],
          // Some of them send tens of thousands of requests, and the deep sizes many more.
          testTimeout: process.env["SECURITY_DEPTH"] === "deep" ? 7_200_000 : 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: ["src/**/*.postgres.test.ts"],
          testTimeout: 120_000,
          // The first one may have to bring a server.
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          include: ["src/**/*.cluster.test.ts"],
          // Several processes each: side by side they would only take each other's processor.
          fileParallelism: false,
          testTimeout: 120_000,
          // The first one may have to bring PostgreSQL and Redis.
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
