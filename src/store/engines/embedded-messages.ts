/** What the main thread and the thread of the embedded store tell each other. */

export type StoreRequest =
  | { readonly kind: "open"; readonly directory: string }
  /** One statement with parameters; answers an `EmbeddedResult`. */
  | {
      readonly kind: "query";
      readonly text: string;
      readonly parameters: readonly unknown[];
      readonly rowMode: "array" | "object";
      /** Begins a transaction first: sparing a message of its own, a quarter of a short transaction's time. */
      readonly begins: boolean;
    }
  /** One statement without parameters or rows; answers its command tag. */
  | { readonly kind: "command"; readonly text: string }
  /** Writes the whole data directory into a compressed archive. */
  | { readonly kind: "archive"; readonly path: string }
  | { readonly kind: "close" };

export interface EmbeddedResult {
  readonly rows: readonly unknown[];
  readonly affectedRows: number;
}

export interface NumberedRequest {
  readonly number: number;
  readonly request: StoreRequest;
}

/** An error as it crosses threads: without `detail`, which quotes the values of the row. */
export interface EngineFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly constraint: string | undefined;
}

export type StoreReply =
  | { readonly number: number; readonly kind: "done"; readonly value: unknown }
  | { readonly number: number; readonly kind: "failed"; readonly failure: EngineFailure };
