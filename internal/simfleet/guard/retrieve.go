package guard

import (
	"reflect"
	"strconv"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// retrieve answers as the simulator does, which selects the objects. Their properties are copied here, see
// clone.
func (p *Properties) retrieve(ctx *simulator.Context, pc *simulator.PropertyCollector, req *types.RetrievePropertiesEx) *methods.RetrievePropertiesExBody {
	if !simple(req.SpecSet) {
		return p.stock(ctx, pc, req)
	}
	body := answer(pc.RetrievePropertiesEx(ctx, objectsOnly(req)))
	if body.Res == nil {
		return body
	}
	objects := body.Res.Returnval.Objects
	for i := range objects {
		if !fill(ctx, &objects[i], req.SpecSet) {
			return p.stock(ctx, pc, req)
		}
	}
	p.correct(ctx, objects)
	body.Res.Returnval.Objects, body.Res.Returnval.Token = p.page(objects, int(req.Options.MaxObjects))
	return body
}

// stock is the simulator's own answer, corrected.
func (p *Properties) stock(ctx *simulator.Context, pc *simulator.PropertyCollector, req *types.RetrievePropertiesEx) *methods.RetrievePropertiesExBody {
	body := answer(pc.RetrievePropertiesEx(ctx, req))
	if body.Res != nil {
		p.correct(ctx, body.Res.Returnval.Objects)
	}
	return body
}

func answer(body soap.HasFault) *methods.RetrievePropertiesExBody {
	return body.(*methods.RetrievePropertiesExBody)
}

// simple reports whether all properties are named.
func simple(specs []types.PropertyFilterSpec) bool {
	for _, s := range specs {
		for _, p := range s.PropSet {
			if p.All != nil && *p.All {
				return false
			}
		}
	}
	return true
}

// objectsOnly is a request for the same objects without their properties, in one page.
func objectsOnly(req *types.RetrievePropertiesEx) *types.RetrievePropertiesEx {
	bare := *req
	bare.Options.MaxObjects = 0
	bare.SpecSet = make([]types.PropertyFilterSpec, len(req.SpecSet))
	for i, s := range req.SpecSet {
		bare.SpecSet[i] = s
		bare.SpecSet[i].PropSet = make([]types.PropertySpec, len(s.PropSet))
		for k, p := range s.PropSet {
			bare.SpecSet[i].PropSet[k].Type = p.Type
		}
	}
	return &bare
}

// fill adds an object's properties, and reports whether all exist. An object that is gone has none.
func fill(ctx *simulator.Context, o *types.ObjectContent, specs []types.PropertyFilterSpec) (all bool) {
	ctx.WithLock(o.Obj, func() {
		object := ctx.Session.Get(o.Obj)
		if object == nil {
			all = true
			return
		}
		v, ok := managedObject(object)
		all = ok && fillFrom(v, o, specs)
	})
	return all
}

func fillFrom(object reflect.Value, o *types.ObjectContent, specs []types.PropertyFilterSpec) bool {
	seen := map[string]bool{}
	for _, s := range specs {
		for _, p := range s.PropSet {
			if isA(object, o.Obj, p.Type) && !fillPaths(object, o, p.PathSet, seen) {
				return false
			}
		}
	}
	return true
}

func fillPaths(object reflect.Value, o *types.ObjectContent, paths []string, seen map[string]bool) bool {
	for _, name := range paths {
		if seen[name] {
			continue
		}
		seen[name] = true
		value, found := propertyValue(object, name)
		if !found {
			return false
		}
		if value != nil {
			o.PropSet = append(o.PropSet, types.DynamicProperty{Name: name, Val: value})
		}
	}
	return true
}

// page returns the first objects, and a token for the others. A limit of 0 is none.
func (p *Properties) page(objects []types.ObjectContent, limit int) (first []types.ObjectContent, token string) {
	if limit <= 0 || len(objects) <= limit {
		return objects, ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens++
	token = "page-" + strconv.Itoa(p.tokens)
	p.pages[token] = remaining{objects[limit:], limit}
	return objects[:limit], token
}

// remaining are the objects that a client has not yet asked for, and the size of its pages.
type remaining struct {
	objects []types.ObjectContent
	limit   int
}

// next returns the page of a token, which is then used up.
func (p *Properties) next(token string) (body *methods.ContinueRetrievePropertiesExBody, ok bool) {
	p.mu.Lock()
	rest, ok := p.pages[token]
	delete(p.pages, token)
	p.mu.Unlock()
	if !ok {
		return nil, false
	}
	res := &types.ContinueRetrievePropertiesExResponse{}
	res.Returnval.Objects, res.Returnval.Token = p.page(rest.objects, rest.limit)
	return &methods.ContinueRetrievePropertiesExBody{Res: res}, true
}
