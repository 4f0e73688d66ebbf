import { com } from '../../../../../lexicons/generated/index.ts'
import { method } from '../../../method.ts'

export const importRepo = method(com.core.repo.importRepo, {
  auth: 'full',
  maxBody: ({ config }) => config.importLimit,
  async handler({ input, auth, repository: { room, importer } }) {
    await importer.importArchive(auth.did, room.archive(auth.did, input))
  },
})
