import type { LockedPackage } from "./lock-file.ts";

/** The software bill of materials of what runs in production: CycloneDX 1.6, from the lock file alone. */
export interface Sbom {
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
