/** A setup file of Vitest: a failed property's message includes the error itself, which reports otherwise leave out. */
import { configureGlobal } from "fast-check";

configureGlobal({ includeErrorInReport: true });
