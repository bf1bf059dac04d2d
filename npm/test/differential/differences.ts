/**
 * Where Millrace differs from `@tanstack/db` on purpose, as far as local writes and sync transactions go. The script
 * runner stays away from, or normalises, exactly these; docs/compatibility.md tells users of them, by the same names.
 */
export interface Difference {
  readonly name: string
  readonly reason: string
  /** How the comparison deals with it. */
  readonly handled: 'scripts avoid it' | 'normalised'
}

export const differences = [
  {
    name: 'A truncate tells the net difference',
    reason: 'Rows that come back equal have not changed; a replica made of events ends at the same content.',
    handled: 'normalised',
  },
  {
    name: 'A truncate ends writes that have been sent',
    reason:
      'It is a sync transaction like any other: what a completed write left shows until the next one. There it goes on covering rows.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Updates compose field by field',
    reason: 'A refused write must leave no trace, and must not hide what the source says of other fields.',
    handled: 'scripts avoid it',
  },
  {
    name: 'A callback that throws inside mutate is undone',
    reason: 'Half of its writes in a transaction that its caller believes to have failed has no use.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Events come first in, first out',
    reason: 'Delivered depth first, a second subscriber would hear of the later change first.',
    handled: 'scripts avoid it',
  },
  {
    name: 'A row is visible inside its own handler',
    reason: 'A handler that looks finds what the application has written.',
    handled: 'scripts avoid it',
  },
  {
    name: 'A write that its handler confirms at once is confirmed',
    reason:
      'The source has answered it, so nothing is pending; there the row stays unsynced until the source says more.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Sync transactions that touch no pending row are applied at once',
    reason: 'A slow write must not stop all other news of its collection.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Deleting and inserting a row in one transaction is an update',
    reason: 'There it is an error; the rows before and after are known.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Only updates have a previous value, and it stands as it stood',
    reason:
      'The value of a delete is the row before. What is told of $synced and $origin is what could be read.',
    handled: 'normalised',
  },
  {
    name: 'A sync transaction confirms a row as a whole',
    reason:
      'It is one step. There the second operation on a row within it takes the row for one that nobody here has written.',
    handled: 'scripts avoid it',
  },
  {
    name: 'A row that comes to light is told',
    reason:
      'An insert below a later pending delete shows when the delete is confirmed. There it shows, and nobody hears.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Subscriptions hear of a restarted collection anew',
    reason:
      'What it shows after a restart is news to everybody; there a row that was told before the cleanup is not told again.',
    handled: 'scripts avoid it',
  },
  {
    name: 'Live queries go on when a refused row comes from the source',
    reason: 'There a live query fails when a write is refused while the row the source sent for it waits.',
    handled: 'scripts avoid it',
  },
] as const satisfies readonly Difference[]

export type DifferenceName = (typeof differences)[number]['name']
