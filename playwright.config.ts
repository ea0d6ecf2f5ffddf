import { defineConfig, devices } from "@playwright/test";

/** Begun last, one of them would be all that still runs; of the others none takes a minute and a half. */
const LONGEST = ["reponses-abimees.spec.ts", "visee.spec.ts"];

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  outputDir: ".cache/journeys",
  // Each journey starts a product of its own: two at a time is what two cores bear.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 180_000,
  // Their journeys begin in this order.
  projects: [
    { name: "longest", testMatch: LONGEST },
    { name: "others", testMatch: "*.spec.ts", testIgnore: LONGEST },
  ],
  expect: { timeout: 30_000 },
  use: {
    ...devices["Desktop Chrome"],
    launchOptions: { executablePath },
    locale: "fr-FR",
    timezoneId: "Europe/Paris",
    // A trace of each action takes as long as the action; `--trace on` records one when it is wanted.
    screenshot: "only-on-failure",
  },
});
