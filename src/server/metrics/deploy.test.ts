import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settings } from "../settings.ts";
import { createInstruments } from "./instruments.ts";

const DEPLOY = join(import.meta.dirname, "..", "..", "..", "deploy");
const METRIC = /\b(?:synapse|nodejs|process)_[a-z0-9_]+/g;

/** All names that Prometheus finds, including the parts of histograms. */
async function exposed(): Promise<ReadonlySet<string>> {
  const metrics = await createInstruments().registry.getMetricsAsJSON();
  return new Set(metrics.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]));
}

describe("what is deployed beside the product asks for metrics that exist", () => {
  test.for(["alerts.yaml", "dashboard.json"])("%s", async (file) => {
    const named = new Set(readFileSync(join(DEPLOY, file), "utf8").match(METRIC));
    expect(named.size).toBeGreaterThan(5);
    expect(named.difference(await exposed())).toEqual(new Set());
  });

  test("the dashboard shows every metric of the product", async () => {
    const text = readFileSync(join(DEPLOY, "dashboard.json"), "utf8");
    const own = await createInstruments().registry.getMetricsAsJSON();
    const names = own.map(({ name }) => name).filter((name) => name.startsWith("synapse_"));
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });

  test("compose.yaml sets settings that exist", () => {
    const lines = readFileSync(join(DEPLOY, "compose.yaml"), "utf8").matchAll(/^ +([A-Z][A-Z_]+):/gm);
    const own = Array.from(lines, ([, name]) => name).filter(
      (name) => name?.startsWith("POSTGRES_") === false && name !== "REDIS_PASSWORD",
    );
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((name) => !Object.hasOwn(settings.shape, name ?? ""))).toEqual([]);
  });
});
