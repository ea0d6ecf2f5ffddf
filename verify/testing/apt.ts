import { spawnSync } from "node:child_process";

const TIMEOUT_MS = 240_000;
const ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };

/** Installs one package after the other until `isFound`; only as root where there is apt-get. */
export function installByApt(packages: readonly string[], isFound: () => boolean): void {
  if (process.getuid?.() !== 0) return;
  const apt = (...args: readonly string[]) =>
    spawnSync("apt-get", args, { stdio: "ignore", timeout: TIMEOUT_MS, env: ENVIRONMENT });
  if (apt("update").error !== undefined) return;
  for (const name of packages) {
    apt("install", "-y", "--no-install-recommends", name);
    if (isFound()) return;
  }
}
