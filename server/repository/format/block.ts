/** A block of a repository: a record, a node of the tree or a commit. */

export interface Block {
  readonly cid: string
  readonly bytes: Uint8Array
}
