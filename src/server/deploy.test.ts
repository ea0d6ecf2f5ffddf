import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createInstruments } from "./metrics/instruments.ts";
import { settings } from "./settings.ts";

/** Consistency of the files in `deploy/`, as far as their text shows it: no container is started. */

const ROOT = join(import.meta.dirname, "..", "..");
const containerfile = textOf("Containerfile");
const compose = textOf("compose.yaml");
const caddyfile = textOf("Caddyfile");

function textOf(name: string): string {
  return readFileSync(join(ROOT, "deploy", name), "utf8");
}

/** The services of compose.yaml by name, with their text. */
function services(): ReadonlyMap<string, string> {
  const [, part = ""] = /^services:\n((?: .*\n|\n)*)/m.exec(compose) ?? [];
  return new Map(
    part
      .split(/^ {2}(?=\S)/m)
      .filter((text) => text.trim() !== "")
      .map((text) => [text.slice(0, text.indexOf(":")), text]),
  );
}

describe("Containerfile", () => {
  test("copies what exists, or what its first stage makes", () => {
    const copied = Array.from(
      containerfile.matchAll(/^COPY --from=build \/app\/(\S+) /gm),
      ([, path]) => path,
    );
    expect(copied).toEqual(["package.json", "node_modules", "dist", "src"]);
    const made = new Set(["dist", "node_modules"]);
    for (const path of copied)
      if (!made.has(path ?? "")) expect(existsSync(join(ROOT, path ?? ""))).toBe(true);
    const first = /^COPY (package.json package-lock.json) \.\/$/m.exec(containerfile)?.[1]?.split(" ") ?? [];
    expect(first.map((path) => existsSync(join(ROOT, path)))).toEqual([true, true]);
  });

  test("starts what exists, is asked for its health, and is nobody's root", () => {
    const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(containerfile) ?? [];
    const [program, entry] = JSON.parse(command) as string[];
    expect(program).toBe("node");
    expect(existsSync(join(ROOT, entry ?? ""))).toBe(true);
    // The only port that every node opens, whatever parts it runs.
    expect(containerfile).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \[.*process\.env\.METRICS_PORT \+ '\/health'/m);
    expect(containerfile).toMatch(/^ENV .*\bMETRICS_PORT=\d+/m);
    expect(containerfile).toMatch(/^USER node$/m);
  });

  test("sets settings that exist", () => {
    const [, line = ""] = /^ENV (.*)$/m.exec(containerfile) ?? [];
    const names = line.split(" ").map((pair) => pair.split("=")[0] ?? "");
    expect(names.filter((name) => name !== "NODE_ENV" && !Object.hasOwn(settings.shape, name))).toEqual([]);
  });
});

describe("compose.yaml", () => {
  test("sets settings that exist", () => {
    const own = Array.from(compose.matchAll(/^ +([A-Z][A-Z_]+):/gm), ([, name]) => name).filter(
      (name) => name?.startsWith("POSTGRES_") === false && name !== "REDIS_PASSWORD",
    );
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((name) => !Object.hasOwn(settings.shape, name ?? ""))).toEqual([]);
  });

  test("knows the health of every service: its own question, or the image's", () => {
    const all = services();
    expect(all.size).toBeGreaterThan(5);
    const unknown = [...all].filter(
      ([, text]) => !/\*node\b/.test(text) && !/^ {4}healthcheck:$/m.test(text),
    );
    expect(unknown.map(([name]) => name)).toEqual([]);
    expect(compose).not.toMatch(/disable: *true/);
  });

  test("waits for services that exist, until they are well", () => {
    const [, part = ""] = /^ {2}depends_on:\n((?: {4}.*\n)+)/m.exec(compose) ?? [];
    const waited = Array.from(part.matchAll(/^ {4}([\w-]+): \{ condition: (\w+) \}$/gm));
    expect(waited.map(([, name]) => name)).toEqual(["postgres", "redis", "sandbox"]);
    for (const [, name, condition] of waited) {
      expect(services().has(name ?? "")).toBe(true);
      expect(condition).toBe("service_healthy");
    }
    const listed = Array.from(
      compose.matchAll(/depends_on: \[(.*)\]/g),
      ([, names]) => names?.split(", ") ?? [],
    );
    for (const name of listed.flat()) expect(services().has(name)).toBe(true);
  });

  test("mounts files that exist, and builds from one", () => {
    const mounted = Array.from(compose.matchAll(/"\.\/(\w+):/g), ([, name]) => name ?? "");
    expect(mounted).toEqual(["Caddyfile"]);
    const built = Array.from(compose.matchAll(/dockerfile: (\S+) \}/g), ([, path]) => path ?? "");
    for (const path of [...mounted.map((name) => `deploy/${name}`), ...built])
      expect(existsSync(join(ROOT, path))).toBe(true);
  });

  test("opens nothing beyond this machine", () => {
    const ports = Array.from(compose.matchAll(/ports: \["(.*)"\]/g), ([, port]) => port);
    expect(ports.length).toBeGreaterThan(1);
    expect(ports.filter((port) => port?.startsWith("127.0.0.1:") === false)).toEqual([]);
  });
});

test("the proxy asks every node, and no other, for its health", () => {
  const [, upstreams = ""] = /reverse_proxy (.*) \{/.exec(caddyfile) ?? [];
  const nodes = [...services()].filter(([, text]) => /\*node\b/.test(text)).map(([name]) => `${name}:3000`);
  expect(upstreams.split(" ")).toEqual(nodes);
  expect(caddyfile).toContain("health_uri /health");
  expect(caddyfile).toContain("lb_policy cookie");
});

const METRIC = /\b(?:synapse|nodejs|process)_[a-z0-9_]+/g;

/** All names that Prometheus finds, including the parts of histograms. */
async function exposed(): Promise<ReadonlySet<string>> {
  const metrics = await createInstruments().registry.getMetricsAsJSON();
  return new Set(metrics.flatMap(({ name }) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]));
}

test.for(["alerts.yaml", "dashboard.json"])("%s asks for metrics that exist", async (file) => {
  const named = new Set(textOf(file).match(METRIC));
  expect(named.size).toBeGreaterThan(5);
  expect(named.difference(await exposed())).toEqual(new Set());
});

test("the dashboard shows every metric of the product", async () => {
  const text = textOf("dashboard.json");
  const own = await createInstruments().registry.getMetricsAsJSON();
  const names = own.map(({ name }) => name).filter((name) => name.startsWith("synapse_"));
  expect(names.filter((name) => !text.includes(name))).toEqual([]);
});
