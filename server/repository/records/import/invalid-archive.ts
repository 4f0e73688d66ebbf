/** The error for archives that are refused. The message is for the client. */

/** The file is not a valid archive of the repository. */
export class InvalidArchive extends Error {
  override readonly name = 'InvalidArchive'
}

/** Whether an error is an InvalidArchive, also one from a worker thread, which loses its class. */
export function isInvalidArchive(error: unknown): error is Error {
  return error instanceof Error && error.name === 'InvalidArchive'
}
