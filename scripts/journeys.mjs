// `npm run journeys -- [files]`: the journeys alone, with whatever browser the machine has or can bring.
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
