import { app } from '../../../../../lexicons/generated/index.ts'
import { actorById, loadActors } from '../../../../app/views/load/actors.ts'
import { labelerView, labelerViewDetailed, ownLabelerView } from '../../../../app/views/show/labelers.ts'
import * as actors from '../../../../store/tables/actors.ts'
import { method } from '../../../method.ts'

const { labelerView: basic, labelerViewDetailed: detailed } = app.example.labeler.defs

export const getServices = method(app.example.labeler.getServices, {
  auth: 'optional',
  handler({ params, auth, caller, serverDid, origin, app: { viewContext } }) {
    const ctx = viewContext(caller.origin, auth?.did)
    const ids = new Set(params.dids.flatMap((did) => actors.idOf(ctx.db, did) ?? []))
    loadActors(ctx, ids)
    const labelers = [...ids].flatMap((id) => actorById(ctx, id).labeler ?? [])
    // Accounts here can report to the owner of this server, whichever labelers their clients know.
    const own = auth ? [ownLabelerView(ctx, serverDid, new URL(origin).host)] : []
    return {
      views: params.detailed
        ? [...labelers.map((one) => labelerViewDetailed(ctx, one)), ...own].map((view) =>
            detailed.$build(view),
          )
        : [...labelers.map((one) => labelerView(ctx, one)), ...own.map(inShort)].map((view) =>
            basic.$build(view),
          ),
    }
  },
})

function inShort({ policies: _, subjectTypes: __, ...view }: ReturnType<typeof ownLabelerView>) {
  return view
}
