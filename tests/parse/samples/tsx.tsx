import React, { type FC } from 'react';

/** What a button needs. */
interface Props {
  label: string;
  onPress(): void;
}

// A button with a label.
export const Button: FC<Props> = ({ label, onPress }) => {
  const text = 'größe' + label;
  return <button onClick={onPress}>{format(text)}</button>;
};

export class Panel extends React.Component<Props> {
  render() {
    return <Button label="→" onPress={() => this.close()} />;
  }

  private close(): void {}
}

export default function App() {
  const [open, setOpen] = React.useState<boolean>(false);
  return open ? <Panel label="x" onPress={() => setOpen(false)} /> : null;
}
