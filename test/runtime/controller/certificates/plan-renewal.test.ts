import { planRenewal } from '../../../../runtime/controller/certificates/plan-renewal';
import { authority, DAY, leaf, NOW } from './support/issuing';

const by = authority();
const present = by.then((issuer) => leaf(issuer));
const wanted = async () => ({
  dnsNames: ['router.system.svc'],
  usages: ['server', 'client'] as const,
  authority: (await by).certificate,
});

test('it is due when two thirds of its life are over', async () => {
  expect(planRenewal(NOW, await present, await wanted())).toEqual({ renew: false, dueAt: NOW + 60 * DAY });
  expect(planRenewal(NOW + 60 * DAY - 1, await present, await wanted())).toMatchObject({ renew: false });
  expect(planRenewal(NOW + 60 * DAY, await present, await wanted())).toEqual({ renew: true, reason: 'due' });
  expect(planRenewal(NOW + 900 * DAY, await present, await wanted())).toEqual({ renew: true, reason: 'due' });
});

test('the order of names and purposes does not matter', async () => {
  const two = await leaf(await by, { dnsNames: ['b.svc', 'a.svc'] });
  const asked = { ...(await wanted()), dnsNames: ['a.svc', 'b.svc'], usages: ['client', 'server'] as const };
  expect(planRenewal(NOW, two, asked)).toMatchObject({ renew: false });
});

test('otherwise it is renewed at once, and the reason is told', async () => {
  const { certificate, key } = await present;
  const reason = async (leafPart: object, wantedPart: object = {}) =>
    planRenewal(NOW, { certificate, key, ...leafPart }, { ...(await wanted()), ...wantedPart });
  const longer = await authority({ notAfter: new Date(NOW + 10 * DAY) });

  expect(await reason({ certificate: undefined })).toEqual({ renew: true, reason: 'absent' });
  expect(await reason({ key: undefined })).toEqual({ renew: true, reason: 'absent' });
  expect(await reason({ certificate: 'nonsense' })).toEqual({ renew: true, reason: 'unreadable' });
  expect(await reason({ key: 'nonsense' })).toEqual({ renew: true, reason: 'unreadable' });
  expect(await reason({ key: (await leaf(await by)).key })).toEqual({ renew: true, reason: 'unreadable' });
  expect(await reason({}, { dnsNames: [] })).toEqual({ renew: true, reason: 'names-changed' });
  expect(await reason({}, { dnsNames: ['router.system.svc', 'x'] })).toEqual({ renew: true, reason: 'names-changed' });
  expect(await reason({}, { usages: ['server'] })).toEqual({ renew: true, reason: 'usages-changed' });
  expect(await reason({}, { authority: (await authority()).certificate })).toEqual({
    renew: true,
    reason: 'other-authority',
  });
  expect(await reason({}, { authority: 'nonsense' })).toEqual({ renew: true, reason: 'other-authority' });
  expect(await reason(await leaf(longer), { authority: longer.certificate })).toEqual({
    renew: true,
    reason: 'authority-ends-earlier',
  });
});
