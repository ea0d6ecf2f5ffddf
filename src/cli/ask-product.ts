import { connect } from "node:net";
import { resolve } from "node:path";
import { type OperatorAnswer, operatorAnswer } from "#contract/operator.ts";
import { operatorSocketPath } from "#server/operator/data-dir.ts";
import type { TypedCommand } from "./parse-command.ts";

/** The socket file does not answer: the product does not run, or uses another DATA_DIR. */
export class ProductDown extends Error {
  override readonly name = "ProductDown";
}

/** Copying a large store or rotating its keys takes long. */
const ANSWER_TIMEOUT_MS = 15 * 60_000;

export function dataDirOf(env: Readonly<Record<string, string | undefined>>): string {
  const written = env["DATA_DIR"]?.trim() ?? "";
  return resolve(written === "" ? "data" : written);
}

/** @throws ProductDown when the product does not answer */
export async function askProduct(
  { command, input }: Pick<TypedCommand, "command" | "input">,
  dataDir: string,
): Promise<OperatorAnswer> {
  const line = await exchangeLines(operatorSocketPath(dataDir), `${JSON.stringify({ command, input })}\n`);
  return operatorAnswer.parse(JSON.parse(line));
}

function exchangeLines(path: string, request: string): Promise<string> {
  return new Promise((settle, reject) => {
    const wire = connect(path);
    let text = "";
    wire.setEncoding("utf8");
    wire.setTimeout(ANSWER_TIMEOUT_MS, () => wire.destroy(new Error("the product does not answer")));
    wire.on("connect", () => wire.write(request));
    wire.on("data", (part: string) => (text += part));
    wire.on("error", (error) => reject(isNobody(error) ? new ProductDown("nobody answers") : error));
    wire.on("close", () =>
      text.endsWith("\n") ? settle(text) : reject(new Error("the product ended before it answered")),
    );
  });
}

function isNobody(error: Error): boolean {
  return "code" in error && (error.code === "ENOENT" || error.code === "ECONNREFUSED");
}
