const paths = {
  arrow: "M4 12h15M13 6l6 6-6 6",
  bolt: "M13.5 2.5 5 13.5h6l-.5 8L19 10.5h-6z",
  card: "M3 6.5h18v11H3zM3 10.5h18M6.5 14.5h4",
  check: "M4.5 12.5 10 18 20 6.5",
  close: "M5.5 5.5l13 13M18.5 5.5l-13 13",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  mail: "M3.5 6h17v12h-17zM3.5 7l8.5 6.5L20.5 7",
  menu: "M3.5 8h17M3.5 16h17",
  minus: "M6 12h12",
  pause: "M8.5 5v14M15.5 5v14",
  play: "M8 5.5v13L18.5 12z",
} as const;

type IconName = keyof typeof paths;

/** A decorative icon, hidden from screen readers: the text beside it carries the meaning. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="landing-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
