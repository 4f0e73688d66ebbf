/** The steps of a world: what the loader does, one after another. */
import type { Path } from './errors.ts'
import type {
  WorldAccount,
  WorldAppPassword,
  WorldCode,
  WorldInviteCode,
  WorldList,
  WorldPost,
  WorldProfile,
  WorldSession,
  WorldStarterPack,
  WorldVerification,
} from './schema.ts'

/** What a step does. `by` is the account that acts. */
export type Action =
  | { readonly kind: 'account'; readonly by: string; readonly item: WorldAccount }
  | { readonly kind: 'inviteCode'; readonly by: string; readonly item: WorldInviteCode }
  | {
      readonly kind: 'profile'
      readonly by: string
      readonly item: Omit<WorldProfile, 'by' | 'at'> & { readonly joinedVia?: string | undefined }
    }
  | { readonly kind: 'confirmEmail'; readonly by: string }
  | { readonly kind: 'follow'; readonly by: string; readonly of: string }
  | { readonly kind: 'block' | 'mute'; readonly by: string; readonly of: string }
  | { readonly kind: 'blockList' | 'muteList'; readonly by: string; readonly list: string }
  | { readonly kind: 'list'; readonly by: string; readonly item: WorldList }
  | { readonly kind: 'starterPack'; readonly by: string; readonly item: WorldStarterPack }
  | { readonly kind: 'verification'; readonly by: string; readonly item: WorldVerification }
  | { readonly kind: 'post'; readonly by: string; readonly item: WorldPost }
  | {
      readonly kind: 'like' | 'repost'
      readonly by: string
      readonly id?: string | undefined
      readonly post: string
      readonly via?: string | undefined
    }
  | {
      readonly kind: 'subscription'
      readonly by: string
      readonly of: string
      readonly posts: boolean
      readonly replies: boolean
    }
  | { readonly kind: 'seen'; readonly by: string }
  | { readonly kind: 'appPassword'; readonly by: string; readonly item: WorldAppPassword }
  | { readonly kind: 'session'; readonly by: string; readonly item: WorldSession }
  | { readonly kind: 'code'; readonly by: string; readonly purpose: WorldCode['purpose'] }
  | {
      readonly kind: 'state'
      readonly by: string
      readonly to: State
      readonly reason?: string | undefined
      readonly deleteAfter?: Date | undefined
    }
  /** Undoes an earlier step. */
  | { readonly kind: 'undo'; readonly by: string; readonly undoes: Action }

export type State = 'deactivated' | 'takedown' | 'suspended'

/** The step for an action of this kind. */
export type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>

export interface Step {
  readonly at: Date
  /** Where the world describes it. */
  readonly path: Path
  readonly action: Action
}
