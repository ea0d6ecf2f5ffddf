/** The checks of `doctor` while the product is not running. */
import { createServer } from "node:net";
import { type Finding, fine, wrong } from "#contract/operator.ts";
import { type Config, readConfig } from "#server/config.ts";
import { checkDataDir } from "#server/operator/data-dir.ts";
import { StartRefused } from "#server/start-refused.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const LEAST_NODE_MAJOR = 26;

export async function checkMachine(env: Environment, dataDir: string): Promise<readonly Finding[]> {
  return [
    wrong(
      "nobody answers on the operator's socket",
      'the product does not run here: start it with "npm start"',
    ),
    checkNode(),
    ...(await checkSettings(env)),
    ...checkDataDir(dataDir, (env["MASTER_KEYS"] ?? "") !== ""),
  ];
}

function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= LEAST_NODE_MAJOR
    ? fine(`Node ${node}`)
    : wrong(`Node ${node} is too old`, `"npm start" brings Node ${LEAST_NODE_MAJOR} itself: use it`);
}

/** The settings and, when they are valid, their port. */
async function checkSettings(env: Environment): Promise<readonly Finding[]> {
  try {
    const { config } = readConfig(env);
    return [fine("settings"), await checkPort(config.listen)];
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    return [wrong(error.message, "correct it in the environment or in .env")];
  }
}

async function checkPort({ host, port }: Config["listen"]): Promise<Finding> {
  return (await canListen(port, host))
    ? fine(`port ${port} is free`)
    : wrong(`port ${port} cannot be opened`, "another program has it: end that one, or set another PORT");
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
