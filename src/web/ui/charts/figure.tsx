import type { ReactNode } from "react";

interface FigureProps {
  readonly label: string;
  readonly detail: string;
  readonly children: ReactNode;
}

/** One figure of a <dl>: what it counts, the figure, and what it means. */
export function Figure({ label, detail, children }: FigureProps) {
  return (
    <div className="figure">
      <dt className="hint">{label}</dt>
      <dd>
        <strong>{children}</strong>
        <span className="hint">{detail}</span>
      </dd>
    </div>
  );
}
