import { defineConfig, devices } from "@playwright/test";

/** Started first, so that none runs alone at the end; each of the others takes less than 90 s. */
const LONGEST = ["reponses-abimees.spec.ts", "visee.spec.ts"];

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  outputDir: ".cache/journeys",
  // Each journey starts its own product; two cores bear two at a time.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  // Ends only what hangs, however busy the machine is.
  timeout: 600_000,
  // Projects start in this order.
  projects: [
    { name: "longest", testMatch: LONGEST },
    { name: "others", testMatch: "*.spec.ts", testIgnore: LONGEST },
  ],
  expect: { timeout: 90_000 },
  use: {
    ...devices["Desktop Chrome"],
    // Without it an action that waits in vain ends with its journey, whose message does not name it.
    actionTimeout: 90_000,
    launchOptions: { executablePath },
    locale: "fr-FR",
    timezoneId: "Europe/Paris",
    // Recording a trace doubles the duration of each action; enable it with `--trace on`.
    screenshot: "only-on-failure",
  },
});
