// `npm run journeys -- [files]`: the browser tests alone.
import { findBrowser } from "./browser.mjs";
import { setUp, tryRun } from "./setup.mjs";

setUp();
const chromium = findBrowser();
process.exit(
  tryRun("playwright", ["test", ...process.argv.slice(2)], {
    CHROMIUM_PATH: chromium.path,
    ...chromium.environment,
  }),
);
