/** Lighthouse's scores for a phone. Not a dependency: scripts/interface.mjs installs Lighthouse. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { z } from "zod";
import { freePort } from "../verify/testing/free-port.ts";
import type { Person } from "../verify/testing/person.ts";
import { CHROMIUM_PATH, takeSession } from "./browser.ts";
import type { Figure } from "./interface-figures.ts";

const LIGHTHOUSE = process.env["LIGHTHOUSE_PATH"] ?? "";

const REPORTS = join(".cache", "interface");

const report = z.object({
  categories: z.record(
    z.string(),
    z.object({
      title: z.string(),
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(
    z.string(),
    z.object({ title: z.string(), score: z.number().nullable(), displayValue: z.string().optional() }),
  ),
});
type Report = z.infer<typeof report>;

interface AuditTarget {
  readonly name: string;
  readonly address: string;
  /** Null for an anonymous visitor. */
  readonly person: Person | null;
  /** The minimum score of each category, out of 100. */
  readonly bars: Readonly<Record<string, number>>;
}

/** Takes the median of several runs per category, since a single run varies by a few points. */
export async function lighthouseFigures(target: AuditTarget, runs: number): Promise<readonly Figure[]> {
  const reports: Report[] = [];
  for (let run = 0; run < runs; run += 1) reports.push(await audit(target));
  return Object.entries(target.bars).map(([category, bar]) => {
    const byScore = reports.toSorted((a, b) => scoreOf(a, category) - scoreOf(b, category));
    const median = byScore[Math.floor(byScore.length / 2)];
    return {
      name: `Lighthouse ${category}, ${target.name} (median of ${runs})`,
      value: median === undefined ? null : scoreOf(median, category),
      unit: "",
      bar: { atLeast: bar },
      details: median === undefined ? [] : lossesOf(median, category),
    };
  });
}

function scoreOf({ categories }: Report, category: string): number {
  return Math.round((categories[category]?.score ?? 0) * 100);
}

/** The audits that cost points, with their measurements. */
function lossesOf({ categories, audits }: Report, category: string): readonly string[] {
  const refs = categories[category]?.auditRefs ?? [];
  return refs
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => `${id}: ${audits[id]?.title ?? ""} ${audits[id]?.displayValue ?? ""}`.trim());
}

async function audit({ name, address, person, bars }: AuditTarget): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), "synapse-lighthouse-"));
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: CHROMIUM_PATH,
    args: [`--remote-debugging-port=${port}`],
  });
  try {
    if (person !== null) await takeSession(context, person);
    // Kept for details beyond the score.
    const output = join(REPORTS, `lighthouse-${name.replaceAll(" ", "-")}.json`);
    await mkdir(REPORTS, { recursive: true });
    await runLighthouse([
      address,
      `--port=${port}`,
      `--only-categories=${Object.keys(bars).join(",")}`,
      "--form-factor=mobile",
      "--output=json",
      `--output-path=${output}`,
      "--quiet",
      "--no-enable-error-reporting",
    ]);
    return report.parse(JSON.parse(await readFile(output, "utf8")));
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runLighthouse(flags: readonly string[]): Promise<void> {
  if (LIGHTHOUSE === "") throw new Error("run this as `npm run interface`, which brings Lighthouse");
  const child = spawn(process.execPath, [LIGHTHOUSE, ...flags], { stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`Lighthouse ended with exit code ${child.exitCode}`);
}
