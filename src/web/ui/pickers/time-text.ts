/** The text of a time field that has hours without minutes, or the reverse: the field's own value is empty then. */
export const HALF_TYPED_TIME = "?";

export const halfTypedProblem = "Indiquez les heures et les minutes.";
