"""The style sheet and the script of a report's page."""

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2430;--soft:#667085;--line:#d5dae3;--ground:#fbfbfd;
--card:#fff;--mark:#2f6fb2;--good:#2a8c5a;--bad:#c2543c;--board:#e7d9b8;--edge:#9b8b66}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#98a2b3;--line:#343b47;
--ground:#14171c;--card:#1c2129;--mark:#6fa8e0;--good:#4fb886;--bad:#e07f68;--board:#8d7f5e;
--edge:#5b5139}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}main{max-width:56rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.7rem;margin:0}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}a{color:var(--mark)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--line);text-align:center;
font-weight:normal;white-space:nowrap}thead th{color:var(--soft)}
.name,td:first-child{text-align:left}.name{white-space:normal}.wide{overflow-x:auto}
.empty{background:color-mix(in srgb,var(--line) 30%,transparent)}
.cards{display:flex;flex-wrap:wrap;gap:.8rem;margin:0}.cards div{background:var(--card);
border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem}
dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-size:1.15rem}
figure{margin:2rem 0 0;background:var(--card);border:1px solid var(--line);border-radius:.5rem;
padding:.8rem;overflow-x:auto}figure svg{min-width:32rem}
figcaption{color:var(--soft);font-size:.9rem;margin-bottom:.4rem}
svg{width:100%;height:auto;display:block}svg text{fill:var(--soft);font:12px system-ui}
.grid{stroke:var(--line)}.zero{stroke:var(--soft)}.bound{stroke:var(--bad);stroke-dasharray:6 4}
.whisker{stroke:var(--mark);stroke-width:2}.dot,.bar{fill:var(--mark)}
.trace{fill:none;stroke:var(--mark);stroke-width:2}.sgf{font-size:.75rem;color:var(--soft)}
#viewer{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem;
margin:1rem 0;max-width:34rem}#viewer[hidden]{display:none}#viewer p{margin:.3rem 0}
#viewer button{font:inherit;padding:.15rem .8rem;margin-right:.3rem}
.cell{fill:var(--board);stroke:var(--edge);stroke-width:.03}.s0{fill:#15181d}
svg .border{font-size:.42px;text-anchor:middle;dominant-baseline:central}
.chances{margin:.4rem 0;cursor:pointer}.chances polyline{fill:none;stroke-width:2}
.c0{stroke:var(--ink);fill:var(--ink)}.c1{stroke:var(--mark);fill:var(--mark)}
.chances text{stroke:none;font-size:9px}.now{stroke:var(--bad)}
.s1{fill:#f7f5ee;stroke:#15181d;stroke-width:.04}.new{stroke:var(--bad);stroke-width:.09}
"""

SCRIPT: Final = """
(()=>{const box=document.getElementById('viewer');let game=null,at=0;
const NS='http://www.w3.org/2000/svg';
const make=(name,values,into)=>{const e=document.createElementNS(NS,name);
for(const k in values)e.setAttribute(k,values[k]);into.append(e);return e};
const button=(text,to)=>{const b=document.createElement('button');b.textContent=text;
b.onclick=()=>go(to());return b};
function go(to){at=Math.max(0,Math.min(game.turns.length,to));paint()}
function paint(){const {cells,outline,border,box:[left,top,right,bottom]}=DATA.boards[game.board];
box.replaceChildren();const head=document.createElement('p');
head.textContent=game.id+': '+game.names;box.append(head);
const svg=make('svg',{viewBox:`${left-.7} ${top-.7} ${right-left+1.4} ${bottom-top+1.4}`,
role:'img'},box);
cells.forEach(([x,y,label])=>{const points=outline.map(([i,j])=>`${x+i},${y+j}`).join(' ');
make('title',{},make('polygon',{points,class:'cell'},svg)).textContent=label});
border.forEach(([x,y,label])=>{make('text',{x,y,class:'border'},svg).textContent=label});
const stone=([colour,cell],fresh)=>{const [x,y,label]=cells[cell];
const s=make('circle',{cx:x,cy:y,r:.38,class:'s'+colour+(fresh?' new':'')},svg);
make('title',{},s).textContent=label};
game.start.forEach(s=>stone(s,false));
game.turns.slice(0,at).forEach((t,i)=>t.add.forEach(s=>stone(s,i===at-1)));
const turn=game.turns[at-1],foot=document.createElement('p');
foot.textContent=turn?`${at}. ${turn.by}: ${turn.text}`:'before the first turn';
if(turn&&turn.said){const said=document.createElement('p');said.className='said';
said.textContent=turn.said;foot.append(said)}
const nav=document.createElement('p');
nav.append(button('|<',()=>0),button('<',()=>at-1),button('>',()=>at+1),
button('>|',()=>game.turns.length));box.append(foot,nav);graph()}
function graph(){const n=game.turns.length;if(!game.turns.some(t=>t.chance!==null))return;
const g=make('svg',{viewBox:'0 0 300 100',class:'chances',role:'img',
'aria-label':'Chances of Black in the statements of both engines'},box);
const x=i=>5+290*i/n,y=c=>85-80*c;
[0,.5,1].forEach(c=>make('line',{x1:5,x2:295,y1:y(c),y2:y(c),class:'grid'},g));
make('line',{x1:x(at),x2:x(at),y1:5,y2:85,class:'now'},g);
[0,1].forEach(seat=>{const said=game.turns.map((t,i)=>[t,i+1]).
filter(([t])=>t.seat===seat&&t.chance!==null);
make('polyline',{points:said.map(([t,i])=>x(i)+','+y(t.chance)).join(' '),class:'c'+seat},g);
said.forEach(([t,i])=>{const dot=make('circle',{cx:x(i),cy:y(t.chance),r:2,class:'c'+seat},g);
make('title',{},dot).textContent=i+'. '+t.said});
make('text',{x:seat?295:5,y:97,'text-anchor':seat?'end':'start',class:'c'+seat},g).
textContent="Black's chance, by "+game.seats[seat]});
g.onclick=e=>{const r=g.getBoundingClientRect();
go(Math.round(((e.clientX-r.left)/r.width*300-5)/290*n))}}
addEventListener('click',e=>{const a=e.target.closest('[data-game]');if(!a)return;
game=DATA.games[+a.dataset.game];at=game.turns.length;box.hidden=false;paint()});
addEventListener('keydown',e=>{if(!game)return;if(e.key==='ArrowRight')go(at+1);
if(e.key==='ArrowLeft')go(at-1)});})();
"""
