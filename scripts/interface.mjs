// `npm run interface [-- axe narrow javascript replay stream hand lighthouse]`: measures the interface
// against its limits; exits with 1 when one is exceeded.
import { join } from "node:path";
import { findBrowser } from "./browser.mjs";
import { findLighthouse } from "./lighthouse.mjs";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
const chromium = findBrowser();
const parts = process.argv.slice(2);
const isLighthouseWanted = parts.length === 0 || parts.includes("lighthouse");
process.exit(
  tryRun(node, [join("e2e", "interface.ts"), ...parts], {
    CHROMIUM_PATH: chromium.path,
    ...chromium.environment,
    ...(isLighthouseWanted ? { LIGHTHOUSE_PATH: findLighthouse() } : {}),
  }),
);
