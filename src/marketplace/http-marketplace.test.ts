import { afterAll, beforeAll } from "vitest";
import { asListingId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { startSandbox, type Sandbox } from "#simulator/sandbox.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { sandboxClient, type SandboxClient } from "#testing/sandbox-client.ts";
import { systemClock } from "#server/clock.ts";
import { createHttpMarketplace } from "./http-marketplace.ts";
import type { Marketplace } from "./marketplace.ts";
import { describeMarketplace } from "./marketplace.suite.ts";
import { createRequestBudget } from "./request-budget.ts";

const unlimited = { perSecond: Infinity, burst: 1 };

let sandbox: Sandbox;
let control: SandboxClient;
let marketplace: Marketplace & AsyncDisposable;
let personas = 0;

beforeAll(async () => {
  sandbox = await startSandbox({
    port: 0,
    host: "127.0.0.1",
    dataDir: null,
    seed: 1,
    listingsPerSecond: 0,
    log: createQuietLog(),
    clock: systemClock,
  });
  control = sandboxClient(sandbox.url);
  marketplace = createHttpMarketplace({
    origin: sandbox.url,
    userAgent: "Synapse (tests)",
    clock: systemClock,
    budget: createRequestBudget(systemClock, { read: unlimited, buy: unlimited }),
  });
});

afterAll(async () => {
  await marketplace[Symbol.asyncDispose]();
  await sandbox.stop();
});

describeMarketplace("the HTTP adapter on the sandbox", () => ({
  marketplace,
  async publish(wares) {
    const [item] = await control.publish(wares);
    if (item === undefined) throw new Error("nothing was published");
    return asListingId(item.id);
  },
  sellToSomebodyElse: (id) => control.sellToSomebodyElse(id),
  confirmAtTheBank: (transactionId) => control.confirm(transactionId),
  refreshToken: new Secret(`sandbox-suite-${(personas += 1)}`),
}));
