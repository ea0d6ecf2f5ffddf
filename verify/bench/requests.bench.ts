// The load on the marketplace: requests per minute with 1, 100 and 1,000 people who want the same categories,
// compared with one poll per filter and second, as usual bots do.
import { startProduct } from "../../e2e/product.ts";
import { modelCrowd } from "#feed/model/model-filters.suite.ts";
import { requestsPerMinute } from "#feed/model/reading-model.suite.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { sandboxClient } from "#verify/testing/sandbox-client.ts";
import { signInAt } from "#verify/testing/person.ts";
import { pause, print } from "./figures.ts";

const WINDOW_S = Number(process.env["BENCH_WINDOW_S"] ?? "20");
const CROWDS = [1, 100, 1_000];
const filters = [
  { tag: "T-shirts", types: { ids: [221] }, limit: 20 },
  { tag: "Zara", brands: { ids: [12] }, limit: 30 },
  { tag: "Baskets", types: { ids: [1242] }, limit: 60 },
];

const product = await startProduct({ SANDBOX_LISTINGS_PER_SECOND: "2" });
const sandbox = sandboxClient(product.sandboxUrl);
try {
  let people = 0;
  for (const crowd of CROWDS) {
    for (; people < crowd; people += 1) {
      const person = await signInAt(product.url, `seeker-${people}`);
      for (const filter of filters) await person.call("addFilter", filter);
    }
    await pause(2_000);
    await sandbox.resetCounters();
    await pause(WINDOW_S * 1_000);
    const { total, by_route: routes } = await sandbox.requests();
    const perMinute = (total * 60) / WINDOW_S;
    const rival = crowd * filters.length * 60;
    print(
      `${crowd} people, ${crowd * filters.length} filters`,
      `${perMinute.toFixed(0)} requests/min (catalogue ${routes["catalog"] ?? 0} of ${total}); one poll per filter and second: ${rival}`,
    );
  }
} finally {
  await product.stop();
}

// More people than can sign in here: the feed's own schedule in simulated time, with a generous budget.
const pace = { seed: 1, readsPerSecond: 60, listingsPerSecond: 2, answerMs: 20, measuredMs: 60_000 };
for (const size of [1, 100, 1_000, 10_000]) {
  const crowd = modelCrowd(size, { seed: 1, nowMs: A_MOMENT_MS });
  const { requests, slices } = await requestsPerMinute(crowd, pace);
  print(
    `simulated: ${size.toLocaleString("en")} people, ${(size * 3).toLocaleString("en")} filters`,
    `${requests.toFixed(1)} requests/min (${slices} slices)`,
  );
}
