/** The lock file and the built web as data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const root = join(import.meta.dirname, "..", "..");

export interface LockedPackage {
  /** The path in node_modules; a package can be installed at several paths. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly source: string;
  readonly licence: string;
  readonly hasInstallScript: boolean;
  /** May be loaded at run time. */
  readonly isProduction: boolean;
}

const lockShape = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string(),
      integrity: z.string().default(""),
      resolved: z.string().default(""),
      license: z.string().default(""),
      hasInstallScript: z.boolean().default(false),
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
    }),
  ),
});

export function readLock(): readonly LockedPackage[] {
  const { packages } = lockShape.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, one]) => ({
      path,
      name: one.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: one.version,
      integrity: one.integrity,
      source: one.resolved,
      licence: one.license,
      hasInstallScript: one.hasInstallScript,
      isProduction: !one.dev && !one.devOptional,
    }));
}

/** Whether a version is lower than a minimum; a pre-release counts as its release. */
export function isBelow(version: string, floor: string): boolean {
  const [own, least] = [numbersOf(version), numbersOf(floor)];
  const place = own.findIndex((number, index) => number !== least[index]);
  return place >= 0 && (own[place] ?? 0) < (least[place] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[-+]/, 1).join("").split(".").map(Number);
}

/** All files served to browsers; requires a built web. */
export function bundleFiles(): readonly { readonly name: string; readonly text: string }[] {
  const folder = join(root, "dist", "web");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({
      name: entry.name,
      text: readFileSync(join(entry.parentPath, entry.name), "latin1"),
    }));
}

/** The software bill of materials of production dependencies: CycloneDX 1.6, from the lock file alone. */
interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly version: 1;
  readonly metadata: { readonly component: { readonly type: "application"; readonly name: string } };
  readonly components: readonly SbomComponent[];
}

interface SbomComponent {
  readonly type: "library";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly expression: string }[];
  readonly hashes: readonly { readonly alg: "SHA-512"; readonly content: string }[];
}

export function sbomOf(locked: readonly LockedPackage[]): Sbom {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "synapse" } },
    components: locked.filter((one) => one.isProduction).map(componentOf),
  };
}

function componentOf({ name, version, licence, integrity }: LockedPackage): SbomComponent {
  return {
    type: "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: licence === "" ? [] : [{ expression: licence }],
    hashes: integrity.startsWith("sha512-")
      ? [{ alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") }]
      : [],
  };
}
