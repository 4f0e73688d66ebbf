/** The state of a world that is being loaded, and the calls that its steps make. */
import type { Members, WorldDeps } from './members.ts'
import type { Picture, PictureDefaults } from './pictures.ts'
import type { WorldPicture } from './schema.ts'
import type { Action, ActionOf } from './steps.ts'

export interface Ref {
  readonly uri: string
  readonly cid: string
}

export type Undo = () => Promise<unknown>

export interface Loading {
  readonly deps: WorldDeps
  readonly members: Members
  /** By id. */
  readonly posts: Map<string, Ref>
  /** The first posts of the threads of replies, by the URI of the reply. */
  readonly roots: Map<string, Ref>
  readonly lists: Map<string, Ref>
  readonly starterPacks: Map<string, Ref>
  readonly reposts: Map<string, Ref>
  readonly inviteCodes: Map<string, string>
  /** Creates a record with the time of the step, or replaces one with a given key. */
  write(by: string, collection: string, record: object, rkey?: string): Promise<Ref>
  remove(by: string, record: Ref): Promise<unknown>
  /** Uploads a picture. Returns its blob and its size. */
  upload(
    by: string,
    picture: WorldPicture,
    defaults: Omit<PictureDefaults, 'file'>,
  ): Promise<{ readonly blob: unknown; readonly size: Picture['size'] }>
}

/** What steps of these kinds do. They return functions that undo it, if it can be undone. */
export type Actions<Kind extends Action['kind']> = {
  readonly [Name in Kind]: (loading: Loading, action: ActionOf<Name>) => Promise<Undo | undefined>
}
