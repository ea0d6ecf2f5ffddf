import { defineConfig, devices } from "@playwright/test";

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

export default defineConfig({
  testDir: "e2e",
  testMatch: "*.spec.ts",
  outputDir: ".cache/journeys",
  // Each journey starts a product of its own: two at a time is what two cores bear.
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 180_000,
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
