/** Sources of a restore, and places, as the page names them. */
import type { PlaceInput } from '../../server/operation/replicas/places/describe.ts'
import { members, oneOf, optional, text } from '../ground/arguments.ts'
import type { RestoreSource } from '../ground/bridge.ts'

const isText = text(2000)

export const isPlaceInput = members<PlaceInput>({
  kind: oneOf('folder', 'webdav', 's3'),
  ...{ address: isText, user: isText, bucket: isText, region: isText, accessKeyId: isText, secret: isText },
})

const secret = text(1000)
const sources = [
  members({ from: oneOf('backups') }),
  members({ from: oneOf('place'), url: text(2000) }),
  members({ from: oneOf('otherPlace'), place: isPlaceInput, key: secret }),
  members({ from: oneOf('file'), passphrase: optional(secret) }),
]

export function isRestoreSource(value: unknown): value is RestoreSource {
  return sources.some((accepts) => accepts(value))
}
