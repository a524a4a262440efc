"""Every field of expected.json files, compared with what c4w prints. usage: timef-expected.py C4W [FILE | --skip TEXT]..."""
import json,os,sys,subprocess
c4w=sys.argv[1]; bad=0;n=0
def run(*a):
    r=subprocess.run([c4w,'timef-inspect',*a],capture_output=True,text=True)
    if r.returncode or r.stderr: print('#',a,r.returncode,r.stderr[:500])
    return [json.loads(l) for l in r.stdout.splitlines()]
def cmp(where,g,w,tol=()):
    global bad,n
    if isinstance(w,dict):
        if not isinstance(g,dict): print('#',where,'not object',g); bad+=1; return
        for k in w:
            if k not in g: print('#',where,k,'absent'); bad+=1; continue
            cmp(where+'.'+k,g[k],w[k])
        return
    if isinstance(w,list) and isinstance(g,list) and len(w)==len(g):
        for i,(a,b) in enumerate(zip(g,w)): cmp(f'{where}[{i}]',a,b)
        return
    n+=1
    if where.endswith('.mean') and isinstance(g,float) and isinstance(w,float) and abs(g-w)<=1e-9*max(abs(g),abs(w)): return
    if type(g)!=type(w) or g!=w: print('#',where,'got',g,'want',w); bad+=1
count=failed=skipped=0
args=iter(sys.argv[2:])
for exp in args:
    before=bad; count+=1
    if exp=='--skip':
        skipped+=1
        print(f"ok {count} - {next(args)}")
        continue
    if not os.path.exists(exp):
        bad+=1; failed+=1
        print(f"not ok {count} - {os.path.basename(exp)} was not made")
        continue
    d=json.load(open(exp)); root=exp.rsplit('/',2)[0]; p=root+'/'+d['path']; ref=d['dataset_id']+'@'+d['version']
    s=run(root,ref,'--json')[0]
    for k in ('dataset_id','version','manifest','files','tables','id_storage'): cmp(ref+':'+k,s[k],d[k])
    st=run(p,'--stats','--digest','--json')
    cmp(ref+':series',st,[dict(record_id=r['record_id'],**x) for r in d['records'] for x in r['series']])
    cmp(ref+':records',run(p,'--records','--json'),[{k:v for k,v in r.items() if k!='series'} for r in d['records']])
    for r in d['records'][:6]:
        one=run(p,'--record',r['record_id'],'--json')[0]
        cmp(ref+':record',[{k:one[k] for k in r if k!='series'}],[{k:v for k,v in r.items() if k!='series'}])
        keys=('time_series_id','spec_type','signal','source_id','dtype','value_shape','nullable','axis_type','n_values','window_us')
        cmp(ref+':record.series',one['series'],[{k:x[k] for k in keys} for x in r['series']])
        anns={a['id']:a for a in d['annotations']}
        cmp(ref+':record.ann',one['annotations'],[anns[a] for a in r['annotation_ids']])
    cmp(ref+':annotations',run(p,'--annotations','--json'),d['annotations'])
    cmp(ref+':tasks',run(p,'--tasks','--json'),d['tasks'])
    v=subprocess.run([c4w,'verify',p,'--level','basic','--json'],capture_output=True,text=True)
    sm=json.loads(v.stdout.splitlines()[-1])
    if (v.returncode==0)!=(d['verify']['result']=='ok'): print('#',ref,'verify',v.stdout[:500]); bad+=1
    if sm.get('bytes')!=d['verify']['bytes_hashed']: print('#',ref,'bytes',sm,d['verify'])
    failed+=bad!=before
    print(f"{'not ok' if bad!=before else 'ok'} {count} - {ref}: {n} fields so far",flush=True)
print(f'1..{count}')
print(f'{count-failed-skipped} passed, {failed} failed, {skipped} skipped')
sys.exit(bad!=0)
