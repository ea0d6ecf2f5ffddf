import type { ReactNode } from "react";
import { Icon } from "../icon.tsx";
import "./feature.css";

interface FeatureProps {
  readonly id: "seeker" | "clicker" | "acquire" | "thunder";
  readonly name: string;
  readonly promise: string;
  readonly does: readonly string[];
  /** What it cannot do, or asks for: said here rather than found out later. */
  readonly note: string;
  readonly picture: ReactNode;
}

export function Feature({ id, name, promise, does, note, picture }: FeatureProps) {
  return (
    <article className="feature" id={id} aria-labelledby={`${id}-title`}>
      <h3 className="feature__name" id={`${id}-title`}>
        {name}
      </h3>
      <div className="feature__body">
        <div className="feature__words">
          <p className="feature__promise">{promise}</p>
          <ul className="feature__list">
            {does.map((line) => (
              <li key={line}>
                <Icon name="check" />
                {line}
              </li>
            ))}
          </ul>
          <p className="feature__note">
            <strong>À savoir</strong> {note}
          </p>
        </div>
        <div className="feature__picture">{picture}</div>
      </div>
    </article>
  );
}
